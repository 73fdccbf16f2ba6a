"""A small pool of database connections."""


class Pool:
    """Hands out connections and takes them back."""

    def __init__(self, connect, size=2):
        self._connect = connect
        self._free = [connect() for _ in range(size)]

    def acquire(self):
        if not self._free:
            raise RuntimeError("pool is empty")
        return self._free.pop()

    def release(self, connection):
        self._free.append(connection)

    def run(self, query):
        connection = self.acquire()
        result = connection.execute(query)
        self.release(connection)
        return result
