/**
 * The program of the embedded database, compiled once in a process: V8 shares its machine code between threads only while
 * somebody holds it. Without that each database of the tests, having a thread of its own, has the same functions compiled
 * anew, which takes as long as the tests themselves.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Node has it; its types leave it to the browser's. */
declare const WebAssembly: { Module: new (program: Uint8Array) => object };

let held: object | undefined;

/** Holds it for as long as this process lives. */
export function holdProgram(): void {
  const folder = dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite'));
  held ??= new WebAssembly.Module(readFileSync(join(folder, 'pglite.wasm')));
}
