import { expect, test } from 'vitest';
import { dropLateProgress } from './drop-late-progress.ts';

test('drops progress that arrives after the answer', async () => {
  const reported: number[] = [];
  const late: ((share: number) => void)[] = [];
  const answer = await dropLateProgress<number, string>(
    (tell) => {
      tell(0.5);
      late.push(tell);
      return Promise.resolve('read');
    },
    (share) => reported.push(share),
  );
  for (const tell of late) tell(1);
  expect([answer, reported]).toEqual(['read', [0.5]]);
});
