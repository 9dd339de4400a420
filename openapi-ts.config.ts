import { readdirSync, readFileSync } from 'node:fs';
import { defineConfig } from '@hey-api/openapi-ts';
import { READ_ONLY_POSTS } from './contract/rules/operations.ts';

const header = ({ defaultValue, file }: { defaultValue: readonly string[]; file?: unknown }) =>
  // The bundled client files (no `file`) do not pass every strict option; the generated API types do.
  file ? [...defaultValue] : [...defaultValue, '// @ts-nocheck'];

/**
 * Makes the client import the types of `contract/generated`. The generator also writes a copy of the types beside the
 * client, which scripts/generate.ts deletes.
 */
const importContractTypes = (module: string) =>
  module.endsWith('/types.gen.ts')
    ? module.replace(/^\.\//, '').replace('types.gen.ts', '../../../contract/generated/types.gen.ts')
    : undefined;

/** The area of each operation: the file of contract/areas that defines it. */
const areas = new Map(
  readdirSync('contract/areas').flatMap((file) =>
    [...readFileSync(`contract/areas/${file}`, 'utf8').matchAll(/operationId: (\w+)/g)].map(
      ([, operation = '']) => [operation, file.replace('.yaml', '')] as const,
    ),
  ),
);

/** Writes the functions of each area into a file of their own, so that the console loads them with the area. */
function getFilePath({
  name,
  meta,
}: {
  name: string;
  meta?: { artifact?: string; resource?: string; resourceId?: string };
}): string | undefined {
  // The keys of queries carry no operation; it is the first part of their name.
  const area = areas.get(meta?.resourceId ?? name.replace(/(Infinite)?(QueryKey|Options)$/, ''));
  if (area === undefined) return undefined;
  if (meta?.artifact === 'sdk') return `sdk/${area}`;
  return meta?.artifact === '@tanstack/react-query' ? `queries/${area}` : undefined;
}

const parser = {
  // Without this, schemas with writeOnly properties would get a second type for requests.
  transforms: { readWrite: { enabled: false } },
  pagination: { keywords: ['pageNumber', 'skip'] },
  hooks: {
    symbols: { getFilePath },
    operations: {
      isQuery: (op: { operationId?: string; id: string }) =>
        READ_ONLY_POSTS.has(op.operationId ?? op.id) ? true : undefined,
    },
  },
};

export default defineConfig([
  {
    input: './contract/openapi.json',
    output: {
      path: 'src/api/generated',
      entryFile: false,
      header,
      module: { extension: '.ts', resolve: importContractTypes },
    },
    parser,
    plugins: [
      '@hey-api/typescript',
      '@hey-api/sdk',
      { name: '@hey-api/client-fetch', throwOnError: true, runtimeConfigPath: './src/api/client-config.ts' },
      {
        name: '@tanstack/react-query',
        queryKeys: { tags: true },
        mutationOptions: true,
        infiniteQueryOptions: true,
      },
      {
        name: 'zod',
        dates: { offset: true },
        $resolvers: {
          // z.object({...}).catchall(value): rows have both fixed and dynamic keys.
          object(ctx) {
            const { $, nodes, schema, symbols } = ctx;
            const fixed = schema.properties && Object.keys(schema.properties).length > 0;
            const extra = schema.additionalProperties;
            if (fixed && extra && typeof extra === 'object' && extra.type !== 'never') {
              const value = nodes.additionalProperties({
                ...ctx,
                schema: { ...schema, properties: undefined },
              } as never);
              if (value)
                return $(symbols.z)
                  .attr('object')
                  .call(nodes.shape(ctx))
                  .attr('catchall')
                  .call(value as never);
            }
            return undefined as never;
          },
        },
      },
    ],
  },
  {
    input: './contract/openapi.json',
    output: { path: 'contract/generated', entryFile: false, header, module: { extension: '.ts' } },
    parser,
    plugins: ['@hey-api/typescript', 'fastify'],
  },
]);
