import { expect, test } from 'vitest';
import { untilAnswered } from './until-answered.ts';

test('what is told behind the answer is not told on: a file that was read is not being read again', async () => {
  const told: number[] = [];
  const late: ((share: number) => void)[] = [];
  const answer = await untilAnswered<number, string>(
    (tell) => {
      tell(0.5);
      late.push(tell);
      return Promise.resolve('read');
    },
    (share) => told.push(share),
  );
  for (const tell of late) tell(1);
  expect([answer, told]).toEqual(['read', [0.5]]);
});
