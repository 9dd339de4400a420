/**
 * The parts of a streamed response after the first has arrived. A failure before that becomes an error response instead of a
 * successful one that breaks off.
 */
export async function awaitFirstPart<Part>(parts: AsyncIterable<Part>): Promise<AsyncIterable<Part>> {
  const iterator = parts[Symbol.asyncIterator]();
  let firstResult: IteratorResult<Part> | undefined = await iterator.next();
  const next = (): Promise<IteratorResult<Part>> => {
    const result = firstResult;
    firstResult = undefined;
    return result ? Promise.resolve(result) : iterator.next();
  };
  // A client that disconnects ends the source as well: it may hold a database cursor.
  const end = async (): Promise<IteratorResult<Part>> =>
    (await iterator.return?.()) ?? { done: true, value: undefined };
  return { [Symbol.asyncIterator]: () => ({ next, return: end }) };
}
