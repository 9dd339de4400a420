import { expect, it } from 'vitest';
import './setup.ts';
import { z } from 'zod';
import { config } from 'zod/v4/core';

it('is what zod goes by: nothing is compiled, and faults are told in our words', () => {
  expect(config().jitless).toBe(true);
  expect(z.string().min(1).safeParse('').error?.issues[0]?.message).toBe('Fill this in');
});
