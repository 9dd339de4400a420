/** Maximum page size of the service (shapes 1). */
export const PAGE_SIZE = 1000;

/** Reads all pages of a list. Lists carry no totals, so a page is requested when the previous one was full (shapes 1). */
export async function readAllPages<Item>(
  read: (page: { pageNumber: number; pageSize: number }) => Promise<{ data: readonly Item[] }>,
): Promise<Item[]> {
  const items: Item[] = [];
  for (let pageNumber = 1; ; pageNumber += 1) {
    // Only a full page has a next one.
    const { data } = await read({ pageNumber, pageSize: PAGE_SIZE });
    items.push(...data);
    if (data.length < PAGE_SIZE) return items;
  }
}
