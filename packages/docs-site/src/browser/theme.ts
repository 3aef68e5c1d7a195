/** Runs before the page is painted, so that it never appears in colours that the reader did not choose. */
import { keptTheme } from './kept-theme.ts';

const theme = keptTheme();
if (theme !== undefined) document.documentElement.dataset.theme = theme;
