import { expect, it } from 'vitest';
import contract from '../../contract/openapi.json' with { type: 'json' };

interface Operation {
  operationId?: string;
  'x-capability'?: string[];
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch'];
const paths: Record<string, Record<string, unknown>> = contract.paths;
const operations: Operation[] = Object.values(paths).flatMap((item) =>
  METHODS.flatMap((method) => (item[method] ? [item[method]] : [])),
);

function row({ operationId, 'x-capability': capabilities = [] }: Operation): string {
  const names = capabilities.map((name) => `'${name}'`);
  const line = `  ${operationId}: [${names.join(', ')}],`;
  return line.length <= 110
    ? line
    : `  ${operationId}: [\n${names.map((name) => `    ${name},\n`).join('')}  ],`;
}

// A mismatch means the contract changed: `vitest run -u src/api/capabilities.test.ts` writes the table anew.
it('is the table of the contract', async () => {
  const table = `import type { Capability } from './generated/types.gen.ts';

/** Written from x-capability of contract/openapi.json by capabilities.test.ts: any one of them suffices. */
export const CAPABILITIES = {
${operations.map(row).join('\n')}
} satisfies Record<string, readonly Capability[]>;
`;
  await expect(table).toMatchFileSnapshot('./capabilities.gen.ts');
});
