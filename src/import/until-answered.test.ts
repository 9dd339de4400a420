import { expect, test } from 'vitest';
import { untilAnswered } from './until-answered.ts';

test('what is told behind the answer is not told on: a file that was read is not being read again', async () => {
  const told: number[] = [];
  let late: (share: number) => void = () => undefined;
  const answer = await untilAnswered(
    (tell: (share: number) => void) => {
      tell(0.5);
      late = tell;
      return Promise.resolve('read');
    },
    (share) => told.push(share),
  );
  late(1);
  expect([answer, told]).toEqual(['read', [0.5]]);
});
