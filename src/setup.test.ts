import { expect, it } from 'vitest';
import './setup.ts';
import { config } from 'zod/v4/core';
import { z } from 'zod';

it('is what zod goes by: nothing is compiled, and faults are told in our words', () => {
  expect(config().jitless).toBe(true);
  expect(z.string().min(1).safeParse('').error?.issues[0]?.message).toBe('Fill this in');
});
