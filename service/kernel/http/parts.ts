/**
 * The parts of an answer once the first of them has come: what fails until then is told as an error, and is not an
 * answer that begins well and breaks off.
 */
export async function begun<Part>(parts: AsyncIterable<Part>): Promise<AsyncIterable<Part>> {
  const iterator = parts[Symbol.asyncIterator]();
  let first: IteratorResult<Part> | undefined = await iterator.next();
  const next = (): Promise<IteratorResult<Part>> => {
    const held = first;
    first = undefined;
    return held ? Promise.resolve(held) : iterator.next();
  };
  // Whoever ends early, as a reader who has gone, ends the parts with it: they may hold a cursor.
  const end = async (): Promise<IteratorResult<Part>> =>
    (await iterator.return?.()) ?? { done: true, value: undefined };
  return { [Symbol.asyncIterator]: () => ({ next, return: end }) };
}
