/** A service whose files are in a given folder, for instance on a small file system; prints its URL and serves until it is killed. */
import { createProcessApp } from './process-app.ts';

if (import.meta.main) {
  const [, , dataDir = '', databaseUrl = '', filesDir = ''] = process.argv;
  const app = await createProcessApp({ databaseUrl: databaseUrl || undefined, dataDir, filesDir });
  process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
}
