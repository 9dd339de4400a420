import { readFileSync } from 'node:fs';

/** Version of the service, that of its package. */
export const { version: VERSION } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string };
