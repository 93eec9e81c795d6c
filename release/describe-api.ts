import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/**
 * Describes what each entry point of a built package exports: a text for each of them, by its name. A declaration
 * stands in the first entry point that has it, the main one before all others, and so do the declarations that it needs
 * and that no entry point exports: whatever a program can see of the package is there once.
 *
 * Of comments, only `@default` and `@deprecated` are left.
 */
export function describeApi(folder: string): ReadonlyMap<string, string> {
  const root = realpathSync(folder);
  const { name, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  const entries = Object.entries(exports)
    .flatMap(([path, { types }]) => (types === undefined ? [] : [{ name: join(name, path), file: join(root, types) }]))
    .sort((a, b) => Number(a.name !== name) - Number(b.name !== name) || compare(a.name, b.name));
  const program = ts.createProgram({
    rootNames: entries.map(({ file }) => file),
    options: { noLib: true, types: [] },
    host: withoutPackages(),
  });
  const description = new Description(program, join(root, 'dist'));
  return new Map(entries.map((entry) => [entry.name, description.ofEntry(entry.name, entry.file)]));
}

/** Reads only the files that lead to each other by relative imports: what other packages declare is not described. */
function withoutPackages(): ts.CompilerHost {
  return {
    ...ts.createCompilerHost({}),
    resolveModuleNameLiterals: (literals, importing) =>
      literals.map(({ text }) => {
        const resolvedFileName = join(importing, '..', text.replace(/\.ts$/, '.d.ts'));
        return { resolvedModule: text.startsWith('.') ? { resolvedFileName, extension: ts.Extension.Dts } : undefined };
      }),
  };
}

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, { readonly types?: string }>>;
}

class Description {
  readonly #program: ts.Program;
  readonly #checker: ts.TypeChecker;
  /** The folder of the declarations: those of other packages are not described. */
  readonly #dist: string;
  /** Which entry point has described a declaration. */
  readonly #described = new Map<ts.Symbol, string>();

  constructor(program: ts.Program, dist: string) {
    this.#program = program;
    this.#checker = program.getTypeChecker();
    this.#dist = dist;
  }

  ofEntry(entry: string, file: string): string {
    const source = this.#program.getSourceFile(file);
    const module = source && this.#checker.getSymbolAtLocation(source);
    if (!module) throw new Error(`${file} exports nothing: build the package.`);
    const exported = this.#checker.getExportsOfModule(module).sort((a, b) => compare(a.name, b.name));
    const added: ts.Symbol[] = [];
    const elsewhere = new Map<string, string[]>();
    const lines: string[] = [];
    for (const symbol of exported) {
      const target = this.#targetOf(symbol);
      const origin = this.#isOurs(target) ? this.#described.get(target) : 'another package';
      const names = target.name === symbol.name || origin === 'another package' ? symbol.name : `${target.name} as ${symbol.name}`;
      if (origin !== undefined) elsewhere.set(origin, [...(elsewhere.get(origin) ?? []), names]);
      else {
        this.#described.set(target, entry);
        added.push(target);
        lines.push(textOf(target, 'export '));
        if (names !== symbol.name) lines.push(`export { ${names} };`);
      }
    }
    for (const [origin, names] of elsewhere) lines.push(`export { ${names.join(', ')} } from '${origin}';`);
    const needed = this.#neededBy(added, entry)
      .map((symbol) => textOf(symbol))
      .sort(compare);
    if (needed.length > 0) lines.push('// Not exported, but part of the declarations above.', ...needed);
    return `${lines.join('\n')}\n`;
  }

  /** The declarations that those of `symbols` need, directly or not, and that no entry point has described yet. */
  #neededBy(symbols: readonly ts.Symbol[], entry: string): ts.Symbol[] {
    const found = new Set(symbols);
    const visit = (node: ts.Node): void => {
      const symbol = ts.isIdentifier(node) ? this.#checker.getSymbolAtLocation(node) : undefined;
      const target = symbol && this.#targetOf(symbol);
      if (target && this.#isOurs(target) && !this.#described.has(target)) {
        this.#described.set(target, entry);
        found.add(target);
      }
      ts.forEachChild(node, visit);
    };
    // A set is walked with what is added meanwhile.
    for (const symbol of found) symbol.declarations?.forEach(visit);
    return [...found].slice(symbols.length);
  }

  #targetOf(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol;
  }

  /** Whether a symbol is declared by a statement of the package, and not within one, as a property is. */
  #isOurs({ declarations = [] }: ts.Symbol): boolean {
    return declarations.some((declaration) => {
      const { parent } = statementOf(declaration);
      return parent !== undefined && ts.isSourceFile(parent) && parent.fileName.startsWith(this.#dist);
    });
  }
}

/** A variable is declared within its statement, everything else is a statement. */
function statementOf(declaration: ts.Declaration): ts.Node {
  return ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
}

/** The declarations of a symbol, such as all overloads of a function, each after the words that it begins with here. */
function textOf({ declarations = [] }: ts.Symbol, begin = ''): string {
  return declarations
    .map((declaration) =>
      statementOf(declaration)
        .getFullText()
        .replaceAll(/\/\*\*[\s\S]*?\*\//g, tagsOf)
        .replaceAll(/^\s*\n/gm, '')
        .trim()
        .replace(/^((?:\/\*\*.*\n)?)(?:export )?(?:default )?(?:declare )?/, `$1${begin}`),
    )
    .join('\n');
}

/** What programs may rely on beside the types: the defaults of options, and what is deprecated. */
function tagsOf(comment: string): string {
  const tags = comment.match(/@(?:default|deprecated)\b(?:(?!\n\s*\*\s*@|\*\/)[\s\S])*/g) ?? [];
  const text = tags.map((tag) => tag.replaceAll(/\s*\n\s*\*\s*/g, ' ').trim()).join(' ');
  return text === '' ? '' : `/** ${text} */`;
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
