/** What was read, with the entity tag that a change of it sends back as `If-Match` (shapes 1, ETag). */
export interface Tagged<Data> {
  data: Data;
  etag: string | undefined;
}

/** Keeps the entity tag of an answer: `tagged(await getUser({ path, signal }))`. */
export const tagged = <Data>({ data, response }: { data: Data; response: Response }): Tagged<Data> => ({
  data,
  etag: response.headers.get('etag') ?? undefined,
});
