"""A GStreamer RTSP server on loopback: rtsp_server.py PORT WIDTH. Port 0: any free one. Prints the port once it serves
rtsp://127.0.0.1:PORT/live, 25 pictures a second of WIDTH x 120. Ends with 77 where GStreamer's server is not installed."""
import sys

try:
    import gi
    gi.require_version("Gst", "1.0")
    gi.require_version("GstRtspServer", "1.0")
    from gi.repository import GLib, Gst, GstRtspServer
    Gst.init(None)
except (ImportError, ValueError) as reason:
    print(reason, file=sys.stderr)
    sys.exit(77)

ELEMENTS = ("videotestsrc", "x264enc", "rtph264pay")
if not all(Gst.ElementFactory.find(name) for name in ELEMENTS):
    print(f"one of GStreamer's {', '.join(ELEMENTS)} is missing", file=sys.stderr)
    sys.exit(77)
port, width = sys.argv[1:]
factory = GstRtspServer.RTSPMediaFactory()
factory.set_launch(f"( videotestsrc is-live=true pattern=ball ! video/x-raw,width={width},height=120,framerate=25/1 ! "
                   "x264enc tune=zerolatency speed-preset=ultrafast key-int-max=12 ! rtph264pay name=pay0 pt=96 config-interval=-1 )")
factory.set_shared(True)
server = GstRtspServer.RTSPServer()
server.set_address("127.0.0.1")
server.set_service(port)
server.get_mount_points().add_factory("/live", factory)
if server.attach(None) == 0:
    print(f"port {port} is taken", file=sys.stderr)
    sys.exit(1)
print(server.get_bound_port(), flush=True)
GLib.MainLoop().run()
