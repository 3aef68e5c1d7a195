/** DuckDB types for Arrow columns. A stream may come from anywhere, so only known type names in it become SQL. */
import { ArrowFault, type ArrowField } from './arrow-field.ts';

const KNOWN =
  /^(HUGEINT|UHUGEINT|INTERVAL|TIME WITH TIME ZONE|BIT|BIGNUM|JSON|ENUM\('([^']|'')*'(, '([^']|'')*')*\))$/;

/** The type in which the values are imported. */
export function storageSql(field: ArrowField): string {
  return sqlOf(field, () => undefined);
}

/** The type that the values have. */
export function castSql(field: ArrowField): string {
  return sqlOf(field, ({ sql = '', encoded }) => (encoded ? 'JSON' : KNOWN.test(sql) ? sql : undefined));
}

const TIMESTAMPS = ['TIMESTAMP_S', 'TIMESTAMP_MS', 'TIMESTAMP', 'TIMESTAMP_NS'];

function sqlOf(field: ArrowField, own: (field: ArrowField) => string | undefined): string {
  const inner = (index: number) => {
    const child = field.children?.[index];
    if (child === undefined) throw new ArrowFault(`the column "${field.name}" has no items`);
    return child;
  };
  const of = (child: ArrowField) => sqlOf(child, own);
  const { bits = 0, unit = 0 } = field;
  switch (field.kind) {
    case 'list':
      return `${of(inner(0))}[]`;
    case 'fixed_list':
      return `${of(inner(0))}[${Number(field.width)}]`;
    case 'struct':
      return `STRUCT(${(field.children ?? []).map((child) => `${identifier(child.name)} ${of(child)}`).join(', ')})`;
    case 'map': {
      const [key, value] = inner(0).children ?? [];
      if (!key || !value) throw new ArrowFault(`the column "${field.name}" has no keys`);
      return `MAP(${of(key)}, ${of(value)})`;
    }
    case 'null':
      return 'INTEGER';
    case 'bool':
      return 'BOOLEAN';
    case 'int':
      return `${field.signed ? '' : 'U'}${{ 8: 'TINYINT', 16: 'SMALLINT', 32: 'INTEGER', 64: 'BIGINT' }[bits] ?? 'BIGINT'}`;
    case 'float':
      return bits === 32 ? 'FLOAT' : 'DOUBLE';
    case 'decimal':
      if (bits === 256 && field.scale === 0) return field.sql === 'UHUGEINT' ? 'UHUGEINT' : 'HUGEINT';
      if (bits !== 128) throw new ArrowFault(`the column "${field.name}" has decimals of ${bits} bits`);
      return `DECIMAL(${Number(field.precision)}, ${Number(field.scale)})`;
    case 'utf8':
      return own(field) ?? 'VARCHAR';
    case 'binary':
      return 'BLOB';
    case 'fixed':
      return field.sql === 'UUID' ? 'UUID' : 'BLOB';
    case 'date':
      return 'DATE';
    case 'time':
      return unit === 3 ? 'TIME_NS' : 'TIME';
    case 'timestamp':
      return field.zone === undefined ? (TIMESTAMPS[unit] ?? 'TIMESTAMP') : 'TIMESTAMPTZ';
  }
}

export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
