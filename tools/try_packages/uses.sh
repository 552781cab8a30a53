# What each package is there for, tried in the root. Needs root.sh.
vehicles=/usr/share/shingle/models/vehicles.onnx

use() {  # use NAME
  case $1 in
    shingle-node) check "the node loads no OpenCV" node_loads_no_opencv ;;
    libshingle-dev) use_from_outside ;;  # outside.sh
    shingle)
      check "it renders and finds" renders_and_finds
      check "shingle-drone is there" drone_says_version ;;
    python3-shingle)
      check "the package for Python computes" python_computes
      check "shingle serves over HTTP" serves_over_http ;;
    gstreamer1.0-shingle)
      check "a pipeline finds the plugin and computes" pipeline_computes
      [ "$suite" = bookworm ] || check "the plugin gives GStreamer's metas for analytics" plugin_has_analytics ;;
  esac
}
node_loads_no_opencv() { inside ldd /usr/bin/shingle-node >"$root/tmp/ldd" && ! grep -q opencv "$root/tmp/ldd"; }
renders_and_finds() {
  inside sh -c "cd /tmp && shingle scene street.mp4 --frames 3 --seed 7 && shingle run $vehicles street.mp4 --workers 2 --json" |
    tail -1 | says '"frames":3'
}
drone_says_version() { inside shingle-drone --version | says shingle; }
python_computes() {
  inside python3 -c "
import numpy, shingle
with shingle.InferenceSession('$vehicles', workers=2) as session:
    (taken,) = session.get_inputs()
    print(session.run(None, {taken.name: numpy.zeros(taken.shape, numpy.float32)})[0].shape)" | says '(1, 5040, 6)'
}
serves_over_http() {  # at a port of its own, which it names
  inside sh -s >"$root/tmp/served" <<SERVE
shingle serve $vehicles --http 127.0.0.1:0 --workers 1 2>/tmp/serve.log &
server=\$!
for i in \$(seq 100); do
  url=\$(sed -nE 's|.* at (http://[^ ]*)/v2.*|\1|p' /tmp/serve.log)
  python3 /usr/share/shingle/examples/serve/infer.py \$url vehicles --binary 2>/dev/null && break
  sleep 0.3
done
kill \$server
wait \$server
SERVE
  grep -q 5040 "$root/tmp/served"
}
pipeline_computes() {
  from_debian gstreamer1.0-plugins-base gstreamer1.0-tools &&
    inside_quietly gst-launch-1.0 videotestsrc num-buffers=5 ! video/x-raw,format=BGR ! shingleinfer workers=2 model=$vehicles ! fakesink
}
plugin_has_analytics() { inside sh -c 'ldd /usr/lib/*/gstreamer-1.0/libgstshingle.so' | says libgstanalytics; }
