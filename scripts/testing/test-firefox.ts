/**
 * `npm run test:firefox`: the smoke of all routes and the main journeys in Firefox. Arguments go to Playwright. Ends without an error
 * where no Firefox can be had.
 */
import { spawnSync } from 'node:child_process';
import { ensureFirefox, readFirefoxVersion } from './browsers.ts';

const path = ensureFirefox();
if (path === undefined)
  console.log(
    'Skipped: no Firefox is installed, and none can be installed here. Install Firefox, or set STEWARD_FIREFOX to its path.',
  );
else {
  console.log(`${readFirefoxVersion(path)} (${path})`);
  const { status } = spawnSync(
    process.execPath,
    [
      'node_modules/@playwright/test/cli.js',
      'test',
      '--config',
      'playwright.firefox.config.ts',
      ...process.argv.slice(2),
    ],
    { stdio: 'inherit', env: { ...process.env, STEWARD_FIREFOX: path } },
  );
  process.exitCode = status ?? 1;
}
