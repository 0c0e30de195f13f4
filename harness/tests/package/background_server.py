"""An HTTP server for tests, in threads of its own."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class BackgroundServer:
    """Calls `handle` with each request, a BaseHTTPRequestHandler, until close(). `url` is its address."""

    def __init__(self, handle):
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                handle(self)

            do_POST = do_DELETE = do_GET

            def log_message(self, *_):
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 512

            def handle_error(self, *_):
                pass  # A client that has gone away.

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()
