/**
 * Bundles the module scripts of a page into one module. They run one after the other in any case and share their
 * imports, so a single text that contains them all behaves the same.
 */
import { posix, relative, sep } from 'node:path';
import { codeUses, type Permission, workbookProblems } from '@woof/documents/workbook';
import { type Plugin, type PluginContext, rolldown } from 'rolldown';
import { isRemote } from './folder-files.ts';
import { type InliningPage, inlineScriptLoads } from './inline-script-loads.ts';
import { inlineStyleSheet, sheetText } from './inline-style-sheet.ts';
import { BadSyntax, literalOf, nodesOf, parseScript } from './script-tree.ts';

export interface ModuleScript {
  /** The file below the folder; absent for an inline script. */
  path?: string;
  code: string;
  /** The offset of the text in the page. */
  offset: number;
}

export interface BundledModules {
  code: string;
  /** The style sheets that modules import. */
  styles: string[];
}

const ENTRY = '\0workbook-entry';
/** Names of the runtime. It is a separate script in the page, so that it exists once and can be told from the rest. */
const RUNTIME_NAMES = ['@woof/workbook-runtime', '@work.books/runtime'];
const RUNTIME = '\0workbook-runtime';
const RUNTIME_CODE = 'export const { wb } = globalThis;\nexport default wb;\n';
const DATA_ADDRESSES =
  'png jpg jpeg gif webp avif svg ico bmp woff woff2 ttf otf mp3 mp4 webm ogg wav wasm pdf';
const TEXTS = 'txt csv md glsl';

export async function bundleModules(
  page: InliningPage,
  scripts: readonly ModuleScript[],
  imports: Readonly<Record<string, string>>,
): Promise<BundledModules> {
  const styles: string[] = [];
  const build = await rolldown({
    input: { workbook: ENTRY },
    cwd: page.files.root,
    platform: 'browser',
    plugins: [folderPlugin(page, scripts, imports, styles)],
    moduleTypes: {
      ...Object.fromEntries(DATA_ADDRESSES.split(' ').map((ending) => [`.${ending}`, 'dataurl' as const])),
      ...Object.fromEntries(TEXTS.split(' ').map((ending) => [`.${ending}`, 'text' as const])),
    },
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    logLevel: 'silent',
  });
  try {
    const { output } = await build.generate({ format: 'esm', codeSplitting: false, minify: true });
    return { code: output[0].code.trimEnd(), styles };
  } finally {
    await build.close();
  }
}

function folderPlugin(
  page: InliningPage,
  scripts: readonly ModuleScript[],
  imports: Readonly<Record<string, string>>,
  styles: string[],
): Plugin {
  const { files } = page;
  const inPage = (index: number) => `${files.root}/index.html.script-${index + 1}.js`;
  const written = new Map(
    scripts.flatMap((script, at) => (script.path ? [] : [[inPage(at), script] as const])),
  );
  const fileOf = (id: string) =>
    written.has(id) ? 'index.html' : relative(files.root, id).split(sep).join('/');
  /** Resolves as a browser would, at a server whose root is the folder; packages as Node finds them. */
  const resolved = async (context: PluginContext, source: string, importer: string | undefined) => {
    const target = mapped(imports, source);
    if (RUNTIME_NAMES.includes(target)) return RUNTIME;
    if (isRemote(target) && !target.startsWith('data:')) return undefined;
    const wanted = target.startsWith('/') ? files.root + posix.normalize(target) : target;
    const found = await context.resolve(wanted, importer, { skipSelf: true });
    return found && !found.external ? found.id : undefined;
  };
  return {
    name: 'workbook-folder',
    async resolveId(source, importer) {
      if (source === ENTRY || importer === ENTRY) return source;
      const id = await resolved(this, source, importer);
      return id ?? { id: source, external: true };
    },
    load(id) {
      if (id === ENTRY) {
        const names = scripts.map(({ path }, at) =>
          path === undefined ? inPage(at) : `${files.root}/${path}`,
        );
        return names.map((name) => `import ${JSON.stringify(name)};`).join('\n');
      }
      if (id === RUNTIME) {
        page.usesRuntime = true;
        return RUNTIME_CODE;
      }
      const script = written.get(id);
      if (script) return script.code;
      const path = fileOf(id);
      if (!path.startsWith('..') && !path.includes('node_modules/')) files.read(path);
      if (!path.endsWith('.css')) return null;
      styles.push(inlineStyleSheet(files, { text: sheetText(files, path), file: path, offset: 0 }, [path]));
      return { code: '', moduleType: 'js' };
    },
    async transform(code, id, { moduleType }) {
      if (id === ENTRY || id === RUNTIME || !['js', 'jsx', 'ts', 'tsx'].includes(moduleType)) return null;
      const file = fileOf(id);
      const isForeign = /(^|\/)node_modules\//.test(file);
      const offset = written.get(id)?.offset ?? 0;
      if (!isForeign) {
        await refuseImports(page, code, { file, offset, imports }, (name) => resolved(this, name, id));
        refuseUndeclared(page, code, file, offset);
      }
      return inlineScriptLoads(page, { code, file, offset, isModule: true, isForeign });
    },
  };
}

/**
 * Imports that cannot be resolved, lead elsewhere, or lead out of the folder. Packages may be above it, where package
 * managers put them.
 */
async function refuseImports(
  { files }: InliningPage,
  code: string,
  place: { file: string; offset: number; imports: Readonly<Record<string, string>> },
  resolve: (name: string) => Promise<string | undefined>,
): Promise<void> {
  for (const { name, start, end } of importsIn(code, place.file)) {
    const at = files.span(place.file, place.offset + start, place.offset + end);
    const target = mapped(place.imports, name);
    if (target.startsWith('data:') || RUNTIME_NAMES.includes(target)) continue;
    if (isRemote(target)) {
      files.refuse(place.file, workbookProblems.remote(at, target));
      continue;
    }
    const id = await resolve(name);
    if (id === undefined) files.refuse(place.file, workbookProblems.missing(at, name));
    else if (!id.startsWith(files.root + sep) && !id.includes(`${sep}node_modules${sep}`))
      files.refuse(place.file, workbookProblems.outside(at, name));
  }
}

function importsIn(code: string, file: string): { name: string; start: number; end: number }[] {
  try {
    return [...nodesOf(parseScript(code, file, true))].flatMap(({ type, source, importKind, exportKind }) => {
      const name = /^(Import|Export)/.test(type) ? literalOf(source) : undefined;
      if (name === undefined || importKind === 'type' || exportKind === 'type') return [];
      const { start, end } = source as { start: number; end: number };
      return [{ name, start, end }];
    });
  } catch (error) {
    // Inlining the loads of this script reports it.
    if (error instanceof BadSyntax) return [];
    throw error;
  }
}

/** These may refer to a file of the folder; `inlineScriptLoads` decides. */
const JUDGED_BY_ADDRESS = /(fetch|importScripts|EventSource)$/;

export function refuseUndeclared(page: InliningPage, code: string, file: string, offset: number): void {
  const seen = new Set<Permission>(page.permissions);
  for (const { permission, what, offset: start } of codeUses(code, true)) {
    if (seen.has(permission) || JUDGED_BY_ADDRESS.test(what)) continue;
    seen.add(permission);
    const at = page.files.span(file, offset + start, offset + start + what.length);
    page.files.refuse(file, workbookProblems.undeclared(at, permission, what));
  }
}

/** Applies an import map: a whole name, or the longest prefix that ends with a slash. */
function mapped(imports: Readonly<Record<string, string>>, name: string): string {
  if (Object.hasOwn(imports, name)) return imports[name]!;
  const beginnings = Object.keys(imports).filter((key) => key.endsWith('/') && name.startsWith(key));
  const [longest] = beginnings.sort((a, b) => b.length - a.length);
  return longest === undefined ? name : imports[longest]! + name.slice(longest.length);
}
