/** Data with its entity tag, which a change sends back as `If-Match` (shapes 1, ETag). */
export interface WithEtag<Data> {
  data: Data;
  etag: string | undefined;
}

/** Adds the entity tag of the response to its data: `withEtag(await getUser({ path, signal }))`. */
export const withEtag = <Data>({ data, response }: { data: Data; response: Response }): WithEtag<Data> => ({
  data,
  etag: response.headers.get('etag') ?? undefined,
});
