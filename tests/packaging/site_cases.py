"""Pages of headers for the site: cases of packaging_test.py."""
import pathlib
import shutil
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs/site"))
import doxygen  # noqa: E402
import doxygen_filter  # noqa: E402
import headers  # noqa: E402

HEADER = '''/* small.h: adds.
 *
 *   add(1, 2) -> 3 */
#ifndef SMALL_H
#define SMALL_H

/* --- sums: of two --- */

/* The sum of *left* and `right`; SHINGLE_OK or not.
 *
 *   small    up to 9 */
int shingle_add(int left,
                int right);
int shingle_add_all(const int *all);

enum { SHINGLE_OK = 0, SHINGLE_BAD = 1 };

/* Two numbers. */
typedef struct shingle_pair {
  int left; /* the first */
  int right;
} shingle_pair;

#endif
'''


class PagesOfHeaders(unittest.TestCase):
    def test_comments_are_marked_and_lines_keep_their_numbers(self):
        marked = doxygen_filter.marked(HEADER)
        self.assertEqual(marked.count("\n"), HEADER.count("\n"))
        self.assertEqual(marked.count("@verbatim"), 2)
        self.assertIn("/* --- sums: of two --- */", marked)
        strokes = doxygen_filter.marked("// A header.\n\n// One.\n// Two.\nint a;\n// Three.\nint b;  // not of its own line\n")
        self.assertEqual(strokes, "// A header.\n\n/// @verbatim One.\n/// Two. @endverbatim\nint a;\n/// @verbatim Three. @endverbatim\nint b;  // not of its own line\n")

    def test_a_declaration_is_shown_without_its_body(self):
        lines = ["template <class T>", "T twice(const T& value = {1, 2}) const {", "  return value;", "}",
                 "  explicit Error(int code)", "      : code_(code) {}", "void close();"]
        self.assertEqual(headers.signature(lines, 2), "template <class T>\nT twice(const T& value = {1, 2}) const;")
        self.assertEqual(headers.signature(lines, 5), "explicit Error(int code);")
        self.assertEqual(headers.signature(lines, 7), "void close();")

    def test_names_lead_to_their_headings_and_marks_are_text(self):
        text = headers.linked("*left* and `shingle_add()`: shingle_add() or SHINGLE_NEW", {"shingle_add": "c.md#shingle_add"})
        self.assertEqual(text, r"\*left\* and `shingle_add()`: [`shingle_add()`](c.md#shingle_add) or `SHINGLE_NEW`")

    @unittest.skipUnless(shutil.which("doxygen"), "skipped: no doxygen; tools/site --deps installs it")
    def test_a_header_becomes_a_page_in_its_own_order(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "in").mkdir()
            (folder / "in/small.h").write_text(HEADER)
            found = doxygen.entities(doxygen.run(folder / "in", folder), "small.h")
            page = headers.HeaderPage(folder / "in/small.h", [each for each in found if each.name != "SMALL_H"], "c.md", {}).markdown("Small", "First.")
        heads = [line for line in page.splitlines() if line.startswith("#") and not line.startswith("#include")]
        self.assertEqual(heads, ["# Small", "## Sums", "### shingle_add(), shingle_add_all()", "### SHINGLE_OK, SHINGLE_BAD", "### shingle_pair"])
        self.assertIn("Adds.", page)
        self.assertIn("Of two.", page)
        self.assertIn("int shingle_add(int left,\n                int right);\nint shingle_add_all(const int *all);", page)
        self.assertIn("```text\nsmall    up to 9\n```", page)
        self.assertIn("[`SHINGLE_OK`](c.md#shingle_ok-shingle_bad)", page)
        self.assertIn("  int left; /* the first */", page)
