# The part of the Python driver that turns a value into a MIME bundle, as Jupyter's front ends use them.

import io
import sys
from _json import encode_basestring_ascii as quote

METHODS = (
    ('_repr_html_', 'text/html'),
    ('_repr_svg_', 'image/svg+xml'),
    ('_repr_png_', 'image/png'),
    ('_repr_jpeg_', 'image/jpeg'),
    ('_repr_json_', 'application/json'),
    ('_repr_markdown_', 'text/markdown'),
    ('_repr_latex_', 'text/latex'),
)
MAX_PLAIN = 1 << 20
MAX_BUNDLE = 64 << 20


def show(kind, value, metadata, raw):
    import json

    data, more = (value, {}) if raw else bundle(value)
    parts = ['%s:%s' % (quote(str(m)), encoded(d, json)) for m, d in data.items() if d is not None]
    text = '{' + ','.join(parts) + '}'
    if len(text) > MAX_BUNDLE:
        text = '{"text/plain":%s}' % quote(
            '[%d bytes of output are too large to keep; write a file instead]' % len(text)
        )
    emit(kind, text, json.dumps({**more, **(metadata or {})}, allow_nan=False))


def encoded(data, json):
    if isinstance(data, str):
        return quote(data)
    if isinstance(data, (bytes, bytearray, memoryview)):
        import binascii

        return quote(binascii.b2a_base64(data, newline=False).decode())
    return json.dumps(data, allow_nan=False)


def bundle(value):
    data, metadata = {'text/plain': shortened(plain_text(value))}, {}
    if isinstance(value, type):
        return data, metadata
    if is_figure(value):
        data['image/png'] = picture(value)
    for method, mime in METHODS:
        found = call(value, method)
        if isinstance(found, tuple):
            found, about = found
            metadata[mime] = about
        if found is not None:
            data[mime] = found
    own = call(value, '_repr_mimebundle_')
    if isinstance(own, tuple):
        own, about = own
        metadata.update(about)
    data.update(own or {})
    return data, metadata


def plain_text(value):
    if type(value) in (dict, list, tuple, set) and len(value) > 3:
        import pprint

        return pprint.pformat(value, sort_dicts=False)
    return repr(value)


def shortened(text):
    return (
        text
        if len(text) <= MAX_PLAIN
        else '%s... (%d more characters)' % (text[:MAX_PLAIN], len(text) - MAX_PLAIN)
    )


def call(value, method):
    found = getattr(value, method, None)
    if not callable(found):
        return None
    try:
        return found()
    except PolicyError:
        raise
    except Exception as e:
        print('woof: %s of %s failed: %r' % (method, type(value).__name__, e), file=sys.stderr)


def is_figure(value):
    return type(value).__module__.partition('.')[0] == 'matplotlib' and hasattr(value, 'savefig')


def picture(figure):
    target = io.BytesIO()
    figure.savefig(target, format='png', bbox_inches='tight')
    return target.getvalue()


# Open figures belong to the cell that created them.
def show_figures():
    pyplot = sys.modules['matplotlib.pyplot']
    for number in pyplot.get_fignums():
        show('display_data', pyplot.figure(number), None, False)
    pyplot.close('all')
