"""Bodies that a service refuses before they are sent, for openapi_test.py."""

import time

from running_service import UnixConnection, check

LIMIT = 32 << 20


def test_too_large(description, service, call):
    """One body may be too large, and there may be too many at a time."""
    large = [(method, path) for method, path, operation, _ in description.operations() if "413" in operation["responses"]]

    def begin(method, path, size, owner):
        connection = UnixConnection(service.socket, 60)
        connection.putrequest(method.upper(), path)
        connection.putheader("Authorization", f"Bearer token of {owner}")
        connection.putheader("Content-Length", str(size))
        connection.putheader("Expect", "100-continue")
        connection.endheaders()
        return connection

    def hold(owner, method="post", path="/v1/grades"):
        """A connection that may send a body, and has not yet. The service forgets those of earlier connections first."""
        for _ in range(200):
            connection = begin(method, path, LIMIT, owner)
            if connection.sock.recv(100).startswith(b"HTTP/1.1 100 "):
                return connection
            connection.close()
            time.sleep(0.05)
        raise AssertionError(f"{method} {path} takes no body")

    def refused(size, status):
        for method, path in large:
            connection = begin(method, path, size, "node")
            answer = connection.getresponse()
            check(call.checked(method, path, answer, answer.read())[0] == status)
            connection.close()

    for method, path in large:
        hold("node", method, path).close()
    refused(LIMIT + 1, 413)
    # 128 MiB of one owner, and then 256 MiB of all.
    for owners, status in (("node",), 429), (("ann", "bob"), 503):
        held = [hold(owner) for owner in owners for _ in range(4)]
        refused(LIMIT, status)
        for connection in held:
            connection.close()
