/**
 * Tells how far something is until its answer is there. What a worker tells has a channel of its own, and may come behind
 * the answer.
 */
export async function untilAnswered<Told, Answer>(
  act: (tell: (told: Told) => void) => Promise<Answer>,
  tell: (told: Told) => void,
): Promise<Answer> {
  let isAnswered = false;
  try {
    return await act((told) => {
      if (!isAnswered) tell(told);
    });
  } finally {
    isAnswered = true;
  }
}
