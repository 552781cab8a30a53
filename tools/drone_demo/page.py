"""index.html: all pictures of a flight on one page, which loads nothing but the video beside it."""
import html

STYLE = """body{margin:0 auto;max-width:1000px;padding:1.5rem;font:16px/1.5 "DejaVu Sans",Verdana,sans-serif;color:#22282f;background:#fff}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2.2rem}video,svg{width:100%;height:auto;display:block}
table{border-collapse:collapse}td,th{padding:.2rem 1rem .2rem 0;text-align:left;border-bottom:1px solid #d7dce1;vertical-align:top}
td.number{text-align:right}code{font-size:.9em}p{max-width:75ch}"""


def table(rows, head=()):
    def cells(row, tag):
        return "".join(f'<{tag}{" class=number" if isinstance(each, (int, float)) else ""}>{html.escape(str(each))}</{tag}>' for each in row)

    return "<table>" + (f"<tr>{cells(head, 'th')}</tr>" if head else "") + "".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows) + "</table>"


def section(title, words, inside):
    return f"<h2>{html.escape(title)}</h2><p>{html.escape(words)}</p>{inside}"


def write(path, title, facts, counts, pictures):
    """`facts`: rows of the table; `counts`: rows of line, direction, true, found; `pictures`: SVG texts by name."""
    parts = [section("The flight", "The annotated video: each box has the track's number and its speed.",
                     '<video src="tracks.mp4" controls loop muted playsinline></video>'),
             section("Figures", "Against the truth that the scene wrote beside its video. Made by tools/drone-demo.",
                     table([(name, str(value)) for name, value in facts]))]
    told = {"tracks": ("Tracks on the ground", "Places by the flight's log and the pictures; a dot is where a track was seen last. "
                       "Dashed lines are the site's; their labels say how many passages were counted, of how many there were."),
            "speeds": ("Speeds", "The found speed of each vehicle over the true one, with its 95 % interval."),
            "heatmap": ("Heatmap", "By shingle-drone export --format heatmap, laid over the first picture."),
            "time_space": ("Time-space diagram", "By shingle-drone export --format time-space, along the lane in of the busiest arm.")}
    parts += [section(*told[name], pictures[name]) for name in told if pictures.get(name)]
    if counts:
        parts.append(section("Counts", "By shingle-drone count, at the site's lines.", table(counts, ("line", "direction", "true", "found"))))
    path.write_text(f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
                    f"<style>{STYLE}</style></head><body><h1>{html.escape(title)}</h1>"
                    + "".join(parts) + "</body></html>\n")
