# The part of the Python driver that passes values from and to the host: `bind` and `read`.

import json
import keyword


# For interpreters that do not run the driver.
def begin(parameters):
    woof = type('Woof', (dict,), {})()
    SCOPE['woof'] = woof
    SCOPE['parameters'] = woof.parameters = parameters


BOUND = {}


def bind_value(name, value, tables=None, gentle=False):
    if tables:
        value = {**value, **{name: from_columns(columns) for name, columns in tables.items()}}
    SCOPE['woof'][name] = value
    if name.isidentifier() and not keyword.iskeyword(name) and name not in ('woof', 'parameters', 'display'):
        if not gentle or name not in SCOPE or SCOPE[name] is BOUND.get(name, BOUND):
            SCOPE[name] = BOUND[name] = value
    return ''


class NotJson(Exception):
    pass


# Returns a data frame if pandas is installed, otherwise records. Floats would change the digits of long integers.
def from_columns(columns):
    try:
        import pandas
    except ImportError:
        return [dict(zip(columns, row)) for row in zip(*columns.values())]
    frame = pandas.DataFrame(columns)
    for name, values in columns.items():
        if frame[name].dtype.kind == 'f' and any(isinstance(v, int) and abs(v) > 2**53 for v in values):
            frame[name] = pandas.Series(values, dtype=object)
    return frame


def to_columns(value):
    family = type(value).__module__.partition('.')[0]
    if family == 'pandas' and hasattr(value, 'columns') and len(value.shape) == 2:
        return {str(name): cells(value.iloc[:, i]) for i, name in enumerate(value.columns)}
    if family == 'polars' and hasattr(value, 'to_dicts'):
        return value.to_dict(as_series=False)
    if family == 'pyarrow' and hasattr(value, 'to_pydict'):
        return value.to_pydict()


# pandas rounds floats when it writes JSON.
def cells(series):
    if (
        series.dtype.kind in 'biuf'
        or series.dtype == object
        and all(type(v) in (str, int, float, bool, type(None)) for v in series)
    ):
        return [None if missing else v for v, missing in zip(series.tolist(), series.isna())]
    return json.loads(series.to_json(orient='values', date_format='iso'))


def read_value(name, tables=False):
    if name not in SCOPE:
        return ''
    try:
        columns = to_columns(SCOPE[name]) if tables else None
        if columns is not None:
            return ',"table":true,"value":' + json.dumps(plain(columns, ()), allow_nan=False)
        return ',"value":' + json.dumps(plain(SCOPE[name], ()), allow_nan=False)
    except (NotJson, RecursionError, ValueError):
        return ''


def plain(value, above):
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if value - value == 0 else None
    if len(above) > 200 or id(value) in above:
        raise NotJson
    inner = above + (id(value),)
    if isinstance(value, dict):
        if not all(k is None or isinstance(k, (str, int, float)) for k in value):
            raise NotJson
        return {k: plain(v, inner) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v, inner) for v in value]
    return plain(table(value), inner)


# Tables as lists of records, arrays as lists, dates as text.
def table(value):
    family = type(value).__module__.partition('.')[0]
    if family == 'pandas' and hasattr(value, 'columns') and value.columns.is_unique:
        columns = to_columns(value)
        return [dict(zip(columns, row)) for row in zip(*columns.values())]
    if family == 'pandas' and hasattr(value, 'dtype') and hasattr(value, 'index'):
        return cells(value)
    if family == 'pandas' and hasattr(value, 'to_json'):
        return json.loads(value.to_json(date_format='iso'))
    if family in ('polars', 'pyarrow'):
        for method in ('to_dicts', 'to_pylist', 'to_list'):
            if hasattr(value, method):
                return getattr(value, method)()
    if family == 'numpy' and hasattr(value, 'tolist'):
        return value.tolist()
    if family == 'datetime' or family == 'pandas' and hasattr(value, 'isoformat'):
        return value.isoformat()
    raise NotJson
