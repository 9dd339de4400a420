/** The question before an export: the format. */
export async function askExport(request: { userIds: readonly number[]; filter?: string }): Promise<void> {
  await Promise.resolve(request);
}
