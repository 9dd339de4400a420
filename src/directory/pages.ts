/** As many as a page of the interface holds (shapes 1). */
export const PAGE = 1000;

/** All items of a list. Lists carry no totals: each page is asked for when the one before it was full (shapes 1). */
export async function everyPage<Item>(
  read: (page: { pageNumber: number; pageSize: number }) => Promise<{ data: readonly Item[] }>,
): Promise<Item[]> {
  const items: Item[] = [];
  for (let pageNumber = 1; ; pageNumber += 1) {
    // oxlint-disable-next-line no-await-in-loop -- as said above
    const { data } = await read({ pageNumber, pageSize: PAGE });
    items.push(...data);
    if (data.length < PAGE) return items;
  }
}
