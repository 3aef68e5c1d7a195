import ARROW from './duckdb-arrow-driver.cjs?raw';
import DRIVER from './duckdb-driver.cjs?raw';

export const DUCKDB_DRIVER = `${DRIVER}${ARROW}void main();\n`;
