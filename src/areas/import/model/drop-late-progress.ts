/**
 * Passes progress reports on until the call settles. Reports of a worker use their own channel and can arrive after its
 * answer.
 */
export async function dropLateProgress<Told, Answer>(
  act: (onProgress: (progress: Told) => void) => Promise<Answer>,
  onProgress: (progress: Told) => void,
): Promise<Answer> {
  let isAnswered = false;
  try {
    return await act((progress) => {
      if (!isAnswered) onProgress(progress);
    });
  } finally {
    isAnswered = true;
  }
}
