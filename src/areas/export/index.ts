import { toast } from '../../ui/feedback/toast.ts';
import type { ListSearch } from './keep.ts';
import type { ExportSource } from './source.ts';

/** People to be exported. */
export interface PeopleRequest {
  userIds: readonly number[];
  /** What these people have in common, in words; stands in the file's name and its sheet "About". */
  filter?: string;
  /** The list that they were, to come back to it. */
  search?: ListSearch;
}

/** Asks for the format and hands these rows to the browser as a file; a large one is a job in the tray. */
export function openExport(request: PeopleRequest | ExportSource): void {
  void import('./ask.tsx').then(
    ({ askExport }) => askExport(request),
    () => toast({ title: 'The export could not be loaded', tone: 'bad' }),
  );
}
