/** `npm run bench [name…]`: measures and prints the ratios; what is measured stands in the list below. */
import type { Bench, Measure } from './bench.ts';
import { bundle } from './bundle.ts';
import { http } from './http.ts';
import { start } from './start.ts';

const BENCHES: readonly Bench[] = [start, bundle, http];

const number = (value: number) => value.toFixed(value < 100 ? 1 : 0).padStart(9);

function line({ name, ours, floor, unit }: Measure): string {
  const beside = floor === undefined ? '' : `${number(floor)}  ${(ours / floor).toFixed(2)} ×`;
  return `  ${name.padEnd(38)} ${number(ours)} ${unit.padEnd(4)} ${beside}`;
}

const wanted = process.argv.slice(2).map((name) => name.toLowerCase());
const chosen = BENCHES.filter(
  ({ name }) => wanted.length === 0 || wanted.some((part) => name.toLowerCase().includes(part)),
);
for (const bench of chosen) {
  console.log(`\n${bench.name.padEnd(40)} ${'ours'.padStart(9)}      ${'floor'.padStart(9)}  ratio`);
  try {
    for (const measure of await bench.run()) console.log(line(measure));
  } catch (error) {
    console.log(`  failed: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}
