import unittest

from pool import Pool


class Failing:
    def execute(self, query):
        raise ValueError(query)


class PoolTest(unittest.TestCase):
    def test_a_failing_query_gives_its_connection_back(self):
        pool = Pool(Failing)
        for _ in range(3):
            with self.assertRaises(ValueError):
                pool.run("select 1")


if __name__ == "__main__":
    unittest.main()
