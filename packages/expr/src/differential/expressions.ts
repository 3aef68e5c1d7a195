/** Expressions for the differential test, one per line: every operator, filter, test and method. */
export const expressions: readonly string[] = String.raw`
1
1.0
1e3
1.5e-7
0x1f
0b101
0o17
1_000_000
"a\nb"
'it''s'
"\x41\u00e9"
'\q'
none
true
False
[]
()
(1,)
(1, 2)
{}
{'a': 1, 2: 'b', none: 3}
[1, [2, (3,)], {'k': none}]
1 + 2
1 + 2.0
n - 10
n * 3
n / 2
4 / 2
7 // 2
-7 // 2
7 // -2
7.5 // 2
-7.5 // 2
7 % 3
-7 % 3
7 % -3
7.5 % 2
-7.5 % 2
2 ** 10
2 ** -1
2 ** 0.5
1.1 ** 100
3 ** -5
7 ** -20000
(-1.5) ** 3
1 / 10 ** 320
7 / 10 ** 323
3 * 10 ** 400 / 7 ** 850
(10 ** 400) ** -1
2 ** 3 ** 2
-2 ** 2
10 ** 20
10 ** 20 - 1
10 ** 20 // 7
-(10 ** 20) // 7
10 ** 20 % 7
10 ** 20 / 3
big + 1
big + 2
big * big
big - big
0.1 + 0.2
1e16
1e15
123456789012345678
1e-5
0.0001
1e22
1e100
-0.0
0 * -1
0.0 * -1
1 / 3
100.0
1 / 0
1 // 0
1 % 0
1.0 / 0
true + true
true * 3
- true
+ n
- n
--n
- xs
not yes
not not 1
'a' + 'b'
'a' ~ 1 ~ none ~ 2.0 ~ true
'a' * 3
3 * 'ab'
'a' * -1
[1] + [2]
[0] * 3
(1,) + (2,)
(1, 2) * 2
[1] + (2,)
'a' + 1
1 + none
{} + {}
1 + 2 ~ 3
1 == 1.0
1 == true
'1' == 1
[1, 2] == [1, 2]
[1] == (1,)
{'a': 1} == {'a': 1.0}
none == false
1 != 2
1 < 2 < 3
1 < 3 < 2
1 < 2 > 1
3 >= 3 >= 3
'a' < 'b'
'B' < 'a'
[1, 2] < [1, 3]
[1] < [1, 0]
(1, 'a') < (1, 'b')
1 < 'a'
none < 1
[] < {}
true < 2
1 in xs
9 in xs
9 not in xs
'a' in 'abc'
'z' not in 'abc'
'a' in d
1 in d
1 in 'abc'
1 in 5
'b' in {'b': 1}
2.0 in xs
none in mixed
yes and no
yes and 5
no or 'x'
'' or []
0 or none
1 and 2 or 3
not yes or yes
n if yes else 0
n if no else 0
1 if no else 2 if no else 3
(1 if no) is defined
'a' if n > 5 and name else 'b'
xs[0]
xs[-1]
xs[5] is defined
xs[1:]
xs[:1]
xs[:-1]
xs[::-1]
xs[::2]
xs[-2:]
xs[5:]
xs[2:0:-1]
xs[::0]
name[0]
name[-1]
name[1:4]
name[::-1]
emoji[1]
emoji[1:]
emoji|length
emoji[::-1]
(1, 2, 3)[1:]
nested[0][1]
nested.1.0
xs.0
xs['a'] is defined
d['a']
d.a
d.zz is defined
d['zz']['y'] is defined
deep.one.two.three
deep['one'].two['three']
deep.list[1].id
deep.list.0.id
keyed.items
keyed['items']
n.foo is defined
nothing.foo is defined
name.foo is defined
nosuch is defined
nosuch.a.b is defined
nosuch is undefined
nosuch is none
nosuch == 1
nosuch != 1
nosuch or 'fallback'
nosuch and 1
not nosuch
nosuch|default('x')
nosuch.a.b|d(3)
d.zz|default(d.a)
empty|default('e')
empty|default('e', true)
nothing|default(1)
nothing|default(1, boolean=true)
zero|d('z', true)
'in' if nosuch else 'out'
-5|abs
neg|abs
-2.5|abs
true|abs
'a'|abs
[1,2,3,4,5]|batch(2)|list
[1,2,3,4,5]|batch(2, 'x')|list
[]|batch(2)|list
'hello WORLD'|capitalize
accent|capitalize
5|capitalize
'mid'|center(9)
'mid'|center(10)
'even'|center(9)
'x'|center(0)
d|dictsort
d|dictsort(true)
d|dictsort(false, 'value')
d|dictsort(reverse=true)
d|dictsort(by='nope')
html|escape
html|e
html|forceescape
"'"|e
html|safe
5|escape
none|e
1|filesizeformat
0|filesizeformat
999|filesizeformat
1000|filesizeformat
13000|filesizeformat
4100000|filesizeformat
1024|filesizeformat(true)
'3000'|filesizeformat
123456789012|filesizeformat(binary=true)
10**30|filesizeformat
xs|first
'abc'|first
d|first
[]|first is defined
xs|last
'abc'|last
'3.7'|float
'abc'|float
'abc'|float(1.5)
'1e3'|float
' 12 '|float
n|float
none|float
'1_0'|float
'%s is %d'|format('a', 3)
'%(a)s'|format(a=1)
'%s'|format(none)
'%s %s'|format(1)
users|groupby('city')|length
users|groupby('city')|map('first')|list
users|groupby('age')|map(attribute='grouper')|list
users|groupby('age')|map(attribute='list')|map('length')|list
users|groupby('city', case_sensitive=true)|map(attribute=0)|list
[{'a': 1}, {}]|groupby('a', default=0)|map('first')|list
lines|indent
lines|indent(2, true)
lines|indent(2, blank=true)
lines|indent('> ')
'one'|indent(3, first=true)
'42'|int
'42.9'|int
'-7'|int
'abc'|int
'abc'|int(5)
'ff'|int(base=16)
'0xff'|int(0, 16)
'0b11'|int(0, 2)
'0o17'|int(base=8)
'z'|int(-1, 36)
3.99|int
-3.99|int
true|int
none|int
none|int(default=9)
'1_000'|int
' 5 '|int
'12345678901234567890'|int
1e20|int
'1e3'|int
[]|int(3)
''|int
d|items|list
xs|join
xs|join(', ')
xs|join(0)
mixed|join('-')
users|join('/', attribute='name')
'abc'|join('.')
d|join('')
xs|length
name|length
d|length
empty|length
d|count
5|length
none|length
'abc'|list
d|list
(1, 2)|list
5|list
'ABC'|lower
5|lower
none|lower
xs|map('string')|list
words|map('upper')|list
words|map('replace', 'p', 'q')|list
users|map(attribute='name')|list
users|map(attribute='zz', default='none')|list
deep.list|map(attribute='id')|list
[[1,2],[3]]|map(attribute=0)|list
[1.5, 2]|map('round')|list
['1', 'x']|map('int', default=-1)|list
xs|max
xs|min
words|max
words|min
words|min(true)
words|max(case_sensitive=true)
users|max(attribute='age')
users|min(attribute='name')
[]|max is defined
[1, 'a']|max
mixed|pprint
d|pprint
range(50)|list|pprint
{'a': range(30)|list, 'b': 'x' * 70}|pprint
[5]|random
xs|reject|list
mixed|reject('none')|list
xs|reject('odd')|list
users|rejectattr('active')|map(attribute='name')|list
users|rejectattr('age', 'eq', 30)|map(attribute='name')|list
'banana'|replace('a', 'o')
'banana'|replace('a', 'o', 2)
'banana'|replace('', '-')
'banana'|replace('', '-', 2)
'banana'|replace('a', '')
5|replace(5, 6)
'a.b'|replace('.', '$&')
xs|reverse|list
'abc'|reverse
d|reverse|list
emoji|reverse
2.5|round
3.5|round
2.675|round(2)
42.55|round(1)
42.55|round(1, 'floor')
42.55|round(1, 'ceil')
-2.5|round
0.5|round
1.5|round
1234|round(-2)
1250|round(-2)
1350|round(-2)
1234.5|round(-2)
5|round
5|round(2)
5|round(1, 'ceil')
7|round(-1, 'floor')
2.5|round(method='nope')
'a'|round
1e300|round(2)
0.125|round(2)
0.375|round(2)
1.005|round(2)
true|round
xs|select|list
mixed|select('none')|list
xs|select('odd')|list
xs|select('gt', 1)|list
xs|select('>=', 2)|list
xs|select('in', [1, 2])|list
mixed|select('string')|list
xs|select('divisibleby', 3)|list
users|selectattr('active')|map(attribute='name')|list
users|selectattr('age', '==', 30)|map(attribute='name')|list
users|selectattr('name', 'equalto', 'Bob')|list|length
users|selectattr('zz', 'defined')|list
users|selectattr('city', 'in', ['Oslo'])|map(attribute='name')|join
range(10)|slice(3)|list
[1,2,3,4,5]|slice(3)|list
[1,2,3,4,5]|slice(3, 'x')|list
[]|slice(2)|list
xs|sort
xs|sort(true)
xs|sort(reverse=true)
words|sort
words|sort(case_sensitive=true)
users|sort(attribute='age')|map(attribute='name')|list
users|sort(attribute='age,name')|map(attribute='name')|list
users|sort(attribute='age', reverse=true)|map(attribute='name')|list
'hello'|sort
d|sort
[1, 'a']|sort
[none, 1]|sort
[(2, 'b'), (1, 'z'), (2, 'a')]|sort
[true, 0, 2.5]|sort
none|string
2.0|string
xs|string
html|striptags
'<!-- c -->x <i>y</i>  z &amp; &lt;'|striptags
xs|sum
[]|sum
[1.5, 2]|sum
users|sum(attribute='age')
xs|sum(start=10)
[[1],[2]]|sum(start=[])
['a']|sum
'hello wORLD foo-bar (baz) [qux] <zip>'|title
"it's"|title
xs|tojson
d|tojson
mixed|tojson
'a"b\\c\n\t'|tojson
'é😀'|tojson
html|tojson
"'"|tojson
{'b': [1, {'z': 1, 'a': 2.0}], 'a': none}|tojson
d|tojson(2)
{'a': [], 'b': {}}|tojson(indent=2)
nested|tojson(indent=1)
{1: 'a', 2: 'b'}|tojson
{1: 'a', 'b': 2}|tojson
(1, 2)|tojson
1e16|tojson
range(2)|tojson
padded|trim
'xxaxx'|trim('x')
'abcba'|trim('ab')
5|trim
sentence|truncate(20)
sentence|truncate(20, true)
sentence|truncate(20, false, '…')
sentence|truncate(20, leeway=0)
sentence|truncate(42)
sentence|truncate(38)
sentence|truncate(2)
'abc def ghi'|truncate(7, true, '', 0)
words|unique|list
words|unique(true)|list
[1, 1.0, true, 2]|unique|list
users|unique(attribute='age')|map(attribute='name')|list
[[1],[1]]|unique|list
'abc'|upper
accent|upper
'ß'|upper
'a b/c?d=é&f'|urlencode
{'a b': 'c/d', 'e': 1}|urlencode
[('a', 1), ('b', 'x y')]|urlencode
5|urlencode
"!'()*~-_."|urlencode
sentence|wordcount
"it's a-b c_d"|wordcount
''|wordcount
sentence|wordwrap(10)
'averyveryverylongword is here'|wordwrap(8)
'averyveryverylongword is here'|wordwrap(8, false)
'well-known-fact and so'|wordwrap(10)
'well-known-fact and so'|wordwrap(10, break_on_hyphens=false)
lines|wordwrap(4)
sentence|wordwrap(15, wrapstring='|')
'  lead  and   gaps  '|wordwrap(6)
{'class': 'a', 'id': none, 'x': '<'}|xmlattr
{'class': 'a'}|xmlattr(false)
{}|xmlattr
{'a b': 1}|xmlattr
'hello'|b64encode
'é'|b64encode
'aGVsbG8='|b64decode
'{"a": [1, 2.5, null]}'|from_json
'[true]'|fromjson
'{bad'|from_json
'see http://example.com/a?b=1 now'|urlize
'(www.example.com).'|urlize
'mail me@example.com'|urlize
'http://example.com/long/path'|urlize(10)
'x http://a.org'|urlize(target='_blank')
'plain text <b>'|urlize
true is boolean
0 is boolean
range is callable
n is callable
n is defined
9 is divisibleby 3
9 is divisibleby(2)
9.0 is divisibleby 3
9 is divisibleby 0
n is eq 7
n is equalto 8
n is == 7
name is escaped
4 is even
3 is even
3 is odd
'a' is odd
false is false
0 is false
'upper' is filter
'nope' is filter
1.5 is float
2.0 is float
1 is float
5 is ge 5
5 is gt 4
5 is greaterthan 6
2 is in xs
'q' is in 'abc'
2 is not in xs
1 is integer
true is integer
1.0 is integer
xs is iterable
'a' is iterable
5 is iterable
d is iterable
5 is le 5
5 is lt 5
5 is lessthan 6
'abc' is lower
'aBc' is lower
'1' is lower
d is mapping
xs is mapping
5 is ne 5
none is none
0 is none
1 is number
true is number
'1' is number
none is sameas none
1 is sameas 2
xs is sequence
'a' is sequence
d is sequence
5 is sequence
range(3) is sequence
d.keys() is sequence
'a' is string
1 is string
'even' is test
'nope' is test
true is true
1 is true
'ABC' is upper
'ABc' is upper
name is not none
not name is none
n is defined and n > 3
n is divisibleby 7 and yes
'Hello'.lower()
'hello'.upper()
'hello world'.title()
"it's bob's".title()
'hELLO'.capitalize()
'hELLO'.swapcase()
'STRASSE'.casefold()
'x'.center(5)
'xy'.center(5, '*')
'abcabc'.count('b')
'aaa'.count('')
'abcabc'.count('b', 2)
'abc'.endswith('c')
'abc'.endswith(('x', 'c'))
'a\tb'.expandtabs(4)
'abcabc'.find('c')
'abcabc'.find('z')
'abcabc'.find('a', 1)
'abc'.find('', 9)
'abcabc'.rfind('a')
'abc'.index('c')
'abc'.index('z')
'abcabc'.rindex('b')
'{} {}'.format(1, 'a')
'{0} {1} {0}'.format('x', 2.0)
'{a} {b!r}'.format(a=1, b='q')
'{:>8}|{:<8}|{:^8}'.format('a', 'b', 'c')
'{:*^9}'.format('mid')
'{:05d} {:+d} {:,}'.format(42, 7, 1234567)
'{:.2f} {:8.3f} {:e} {:g}'.format(3.14159, 2.5, 12345.678, 0.00001)
'{:x} {:X} {:o} {:b} {:#x}'.format(255, 255, 8, 5, 255)
'{:%} {:.1%}'.format(0.5, 0.256)
'{d[a]} {x[0]}'.format(d=d, x=xs)
'{{}} {}'.format(1)
'{:{}}'.format('a', 5)
'{:_} {:,.2f}'.format(1234567, 9876543.21)
'{:05.1f}'.format(-2.55)
'{:g} {:g} {:g}'.format(100000.0, 1000000.0, 1e-5)
'{}'.format()
'{'.format(1)
'{:d}'.format('a')
'{:.3}'.format('abcdef')
'{:.3}'.format(3.14159)
'{:10}|'.format(3)
'{:<10}|'.format(3)
'{!s:>5}'.format(none)
'abc1'.isalnum()
'abc'.isalpha()
'abc'.isascii()
'12'.isdecimal()
'12'.isdigit()
'²'.isdigit()
'a_b'.isidentifier()
'abc'.islower()
'½'.isnumeric()
'a\n'.isprintable()
'  '.isspace()
'Hello World'.istitle()
'Hello world'.istitle()
'ABC'.isupper()
''.isalpha()
', '.join(['a', 'b'])
'-'.join('abc')
','.join([1])
'a'.ljust(3) ~ '|'
'a'.rjust(3, '.')
'  a '.lstrip()
'  a '.rstrip()
' a '.strip()
'xax'.strip('x')
'xax'.lstrip('x')
'xax'.rstrip('x')
'a=b=c'.partition('=')
'a=b=c'.rpartition('=')
'abc'.partition('z')
'abc'.rpartition('z')
'prefix-x'.removeprefix('prefix-')
'x.txt'.removesuffix('.txt')
'aXbX'.replace('X', '-')
'aXbX'.replace('X', '-', 1)
csv.split(',')
csv.split(',', 1)
csv.rsplit(',', 1)
padded.split()
' a  b  c '.split(none, 1)
' a  b  c '.rsplit(none, 1)
'abc'.split('')
csv.split(sep=',', maxsplit=2)
lines.splitlines()
'a\r\nb\n'.splitlines(true)
'abc'.startswith('ab')
'abc'.startswith('b', 1)
'42'.zfill(5)
'-42'.zfill(5)
'abc'.nosuch()
[1, 2, 1].count(1)
[1, 2, 1].index(2)
[1, 2].index(9)
[1, 2].copy()
(1, 2, 1).count(1)
(1, 2).index(2)
d.get('a')
d.get('zz')
d.get('zz', 5)
d.items()|list
d.keys()|list
d.values()|list
d.items()
d.keys()
d.values()
d.copy()
keyed.items()|list
{'a': 1}.get('a')
{'b': 1}.items()|list
{'a': none}.get('a', 1)
(255).bit_length()
2.0.is_integer()
'%d' % 5
'%d' % 5.9
'%s' % 'a'
'%s and %s' % ('a', 1)
'%5d|%-5d|%05d|%+d' % (1, 2, 3, 4)
'%.2f' % 3.14159
'%8.3f|%-8.1f|' % (2.5, 2.25)
'%e' % 12345.678
'%g %g %g' % (0.0001, 1e-5, 1e10)
'%x %X %o %#x' % (255, 255, 8, 255)
'%c%c' % (65, 'b')
'%r' % 'a'
'%%'  % ()
'100%%' % ()
'%s' % [1, 2]
'%s' % (xs,)
'%(a)s-%(b)d' % {'a': 'x', 'b': 2}
'%s %s' % 'a'
'%d' % 'a'
'%q' % 1
'%s' % ('a', 'b')
'%*d' % (5, 3)
'%.3s' % 'abcdef'
'%5s|%-5s|' % ('a', 'b')
'% d' % 5
'%x' % 1.5
range(5)
range(5)|list
range(2, 8, 3)|list
range(5, 0, -2)|list
range(0)|list
range(3)[1]
range(3)|length
range(10)|sum
range(3) == range(0, 3)
2 in range(3)
range(1, 2, 0)
range()
range('a')
dict(a=1, b=2)
dict({'a': 1}, b=2)
dict([('a', 1)])
dict(d, a=9)
dict()
xs is defined and xs|length > 2
(xs + [4])|sum
(name|upper).split(' ')[0]
name.split(' ')|map('lower')|map('first')|join('.')
'yes' if 'Ada' in name else 'no'
users|map(attribute='age')|sum / users|length
(n / 2)|round|int
n|string ~ '!'
[n, name]|join(': ')
{'k': xs[0]}.k
{'a': 1}['a']
{1: 'one'}[1]
{1: 'one'}[1.0]
{(1, 2): 'pair'}[(1, 2)]
{true: 1, 1: 2}
{[1]: 2}
'a' 'b'
"double \"quoted\""
'single \'quoted\''
['it''s', "it's", 'say "hi"', "both ' and \""]
'back\\slash'
['tab\t', 'nl\n', 'bell\a', '\x7f', '\u200b', 'é', '\u00a0']
[0.1, 1e-7, 1e21, 123456.789, 5e-324, 1.7976931348623157e308]
[10**15, 10**16 + 0.0, 10**17 / 10]
[(), (1,), [()], {}]
1.5 == 1.50
0.1 + 0.2 == 0.3
10 ** 18 + 1 == 10 ** 18
10 ** 18 + 1 > 10 ** 18
10 ** 20 == 1e20
10 ** 2.0
0 ** 0
0 ** -1
(-8) ** 0.5
(-7 // 2.5, 7 // -2.5, 0 // -1.0, 0.0 // 3)
keyed.nosuch is defined
(1.5).is_integer()
'{:,}'.format(true)
abs is defined
xs|attr('nosuch') is defined
nosuch()
name()
xs.append is defined and false
1 +
(1
[1, 2
{'a' 1}
1 2
'unterminated
a b
xs|
xs|nosuchfilter
xs is nosuchtest
xs is
x..y
x.
xs[
f(a=1, 2)
f(**a, b)
if
{{ 1 }}
1 is even is odd
@
`
  .split('\n')
  .filter((line) => line !== '');
