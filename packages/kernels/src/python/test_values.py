import io
import unittest

from driver_parts import load


class PickleTest(unittest.TestCase):
    def setUp(self):
        self.scope = {'__name__': '__main__'}
        self.driver = load('pickle', SCOPE=self.scope)

    def digest(self, value):
        return self.driver.digest(value, self.driver.Walk())

    def test_equal_values_have_equal_digests(self):
        self.assertEqual(self.digest({'a': [1, 'x']}), self.digest({'a': [1, 'x']}))
        self.assertNotEqual(self.digest({'a': [1]}), self.digest({'a': [2]}))

    def test_a_value_that_contains_itself_has_a_digest(self):
        value = []
        value.append(value)
        self.assertEqual(len(self.digest(value)), 16)

    def test_a_change_inside_a_closure_changes_the_digest(self):
        exec('def make(n):\n    return lambda: n\nf = make(1)', self.scope)
        f = self.scope['f']
        before = self.digest(f)
        self.assertEqual(self.digest(f), before)
        f.__closure__[0].cell_contents = 2
        self.assertNotEqual(self.digest(f), before)

    def test_refuses_what_is_too_large(self):
        self.driver.Walk.visit.__globals__['MAX_OBJECTS'] = 3
        with self.assertRaisesRegex(self.driver.Unfit, 'more than 3 objects'):
            self.digest([[], [], []])

    def test_a_name_goes_in_as_a_reference(self):
        self.scope['a'] = kept = [1]
        data = self.driver.pickled([kept], self.driver.Walk({id(kept): 'a'}))
        self.assertIs(self.driver.CellUnpickler(io.BytesIO(data)).load()[0], kept)


class PlainTest(unittest.TestCase):
    def setUp(self):
        self.driver = load('values', SCOPE={})

    def test_gives_json_or_refuses(self):
        self.assertEqual(self.driver.plain({'a': (1, float('nan'))}, ()), {'a': [1, None]})
        looped = []
        looped.append(looped)
        for value in (object(), {(1,): 2}, looped):
            with self.assertRaises(self.driver.NotJson):
                self.driver.plain(value, ())
