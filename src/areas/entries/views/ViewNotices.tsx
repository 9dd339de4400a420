import type { SavedView } from '../../../../contract/generated/types.gen.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import type { QueryObject } from '../filter/draft.ts';
import type { Field } from '../model/schema.ts';
import { findMissingFields, removeMissingFields } from './saved-view.ts';
import type { EntriesView } from './view.ts';

interface ViewNoticesProps {
  view: EntriesView;
  fields: readonly Field[];
  /** Undefined if the view does not exist or is not shared. */
  saved: SavedView | undefined;
  show: (next: EntriesView) => unknown;
}

const names = new Intl.ListFormat('en');

/** Notices about the open view: it was deleted or is not shared, or its fields were deleted. Loaded when there is one. */
export default function ViewNotices({ view, fields, saved, show }: ViewNoticesProps) {
  if (!saved)
    return (
      <Banner
        title="This view does not exist"
        actions={
          <Button size="small" onClick={() => void show({ ...view, savedViewId: undefined })}>
            Continue without it
          </Button>
        }
      >
        It was deleted or is not shared with you. The list still shows the entries this link selects.
      </Banner>
    );
  const missing = findMissingFields(saved, fields);
  const pronoun = missing.length === 1 ? 'it' : 'them';
  const { query } = view;
  const remaining = isObject(query) ? removeMissingFields(query, fields) : undefined;
  const isInFilter = isObject(query) && JSON.stringify(remaining) !== JSON.stringify(query);
  return (
    <Banner
      tone="warn"
      title={`${names.format(missing)} ${missing.length === 1 ? 'is' : 'are'} no longer in the schema`}
      actions={
        isInFilter && (
          <Button size="small" onClick={() => void show({ ...view, query: remaining })}>
            Remove these conditions
          </Button>
        )
      }
    >
      {isInFilter
        ? `The view filters by ${pronoun}, so its filter is invalid. Without these conditions more entries may match.`
        : `The view is shown without ${pronoun}. Saving it removes ${pronoun} for good.`}
    </Banner>
  );
}

const isObject = (query: EntriesView['query']): query is QueryObject => typeof query === 'object';
