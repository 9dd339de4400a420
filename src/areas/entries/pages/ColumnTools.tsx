import { ArrowDown, ArrowUp, Clock, Columns3, Pin, PinOff, Rows3 } from 'lucide-react';
import { Suspense, useRef, useState } from 'react';
import { foldText } from '../../../../contract/rules/fold-text.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { lazyWithPreload } from '../../../ui/lazy.tsx';
import { MenuButton } from '../../../ui/menu/MenuButton.tsx';
import { setDensity, useDensity } from '../../../ui/style/theme.ts';
import { TableTools } from '../../../ui/table/TableBar.tsx';
import { SMALL_SCREEN, useMedia } from '../../../ui/use-media.ts';
import {
  isSortable,
  hideColumns,
  moveColumn,
  orderFields,
  getFrozenFieldNames,
  toggleFrozenColumn,
  DEFAULT_COLUMN_LAYOUT,
  MAX_FROZEN_COLUMNS,
} from '../model/columns.ts';
import type { ColumnLayout } from '../model/columns.ts';
import type { Field } from '../model/schema.ts';
import { setTimeZone, useTimeZone } from '../model/zone.ts';

const PopoverCard = lazyWithPreload(() => import('../../../ui/menu/PopoverCard.tsx'));

interface ColumnToolsProps {
  fields: readonly Field[];
  layout: ColumnLayout;
  onChange: (layout: ColumnLayout) => void;
  sort: { field: string; descending: boolean };
  onSort: (name: string) => void;
}

const DENSITIES = [
  { density: 'compact', label: 'Compact' },
  { density: 'regular', label: 'Regular' },
  { density: 'comfortable', label: 'Comfortable' },
] as const;
const NO_NAMES: readonly string[] = [];
const ignore = () => undefined;

/** Buttons for columns, time zone and row height. On small screens, which have no column headers, only the sort order. */
export function ColumnTools(props: ColumnToolsProps) {
  const { fields, sort, onSort } = props;
  const small = useMedia(SMALL_SCREEN);
  const density = useDensity();
  if (small) {
    const columns = fields
      .filter(isSortable)
      .map(({ apiName, name: header }) => ({ id: apiName, header, sortable: true, cell: ignore }));
    const direction = sort.descending ? 'descending' : 'ascending';
    return (
      <TableTools
        columns={columns}
        hidden={NO_NAMES}
        onHide={ignore}
        sort={sort.field === '' ? undefined : { column: sort.field, direction }}
        onSort={({ column }) => onSort(column)}
      />
    );
  }
  return (
    <>
      <ColumnsButton {...props} />
      <ZoneButton />
      <MenuButton
        label="Row height"
        icon={Rows3}
        items={DENSITIES.map((option) => ({
          label: option.label,
          checked: option.density === density,
          isRadio: true,
          onSelect: () => setDensity(option.density),
        }))}
      />
    </>
  );
}

/** Menu for the time zone in which dates with a time are displayed. */
function ZoneButton() {
  const { choice, site, own } = useTimeZone();
  const zones = [
    { choice: 'utc', label: 'UTC', hint: 'As in the API' },
    { choice: 'site', label: 'Time zone of the site', hint: site },
    { choice: 'own', label: 'My time zone', hint: own },
    { choice: 'all', label: 'All three at once', hint: 'Another day in bold' },
  ] as const;
  return (
    <MenuButton
      label="Time zone of dates"
      icon={Clock}
      items={zones.map((zone) => ({
        label: zone.label,
        hint: zone.hint,
        checked: zone.choice === choice,
        isRadio: true,
        onSelect: () => setTimeZone(zone.choice),
      }))}
    />
  );
}

function ColumnsButton(props: ColumnToolsProps) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  return (
    <>
      <IconButton
        ref={button}
        label="Columns"
        icon={Columns3}
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(true)}
      />
      <Suspense>
        {open && (
          <PopoverCard label="Columns" anchor={button} onClose={() => setOpen(false)}>
            <ColumnList {...props} />
          </PopoverCard>
        )}
      </Suspense>
    </>
  );
}

function ColumnList({ fields, layout, onChange }: ColumnToolsProps) {
  const [q, setQ] = useState('');
  const hideableFields = orderFields(fields, layout).filter(({ isKey }) => !isKey);
  const matches = hideableFields.filter(({ name, apiName }) =>
    foldText(`${name} ${apiName}`).includes(foldText(q.trim())),
  );
  const frozenNames = getFrozenFieldNames(fields, layout);
  const hide = (names: readonly string[]) => onChange(hideColumns(fields, layout, names));
  const toggle = (name: string) =>
    hide(
      layout.hidden.includes(name)
        ? layout.hidden.filter((other) => other !== name)
        : [...layout.hidden, name],
    );
  return (
    <div className="ent-columns">
      <input
        type="search"
        className="input"
        aria-label="Find a column"
        placeholder="Find a column"
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the user opened the list to find a column
        autoFocus
        value={q}
        onChange={({ target }) => setQ(target.value)}
      />
      <ul>
        {matches.map(({ id, apiName, name }) => (
          <li key={id}>
            <label>
              <input
                type="checkbox"
                className="checkbox"
                checked={!layout.hidden.includes(apiName)}
                onChange={() => toggle(apiName)}
              />
              <span>{name}</span>
            </label>
            <IconButton
              label={`${frozenNames.includes(apiName) ? 'Unfreeze' : 'Freeze'} ${name}`}
              icon={frozenNames.includes(apiName) ? PinOff : Pin}
              size="small"
              disabledReason={
                !frozenNames.includes(apiName) && layout.frozen >= MAX_FROZEN_COLUMNS
                  ? `At most ${MAX_FROZEN_COLUMNS} columns can be frozen`
                  : undefined
              }
              onClick={() => onChange(toggleFrozenColumn(fields, layout, apiName))}
            />
            <IconButton
              label={`Move ${name} up`}
              icon={ArrowUp}
              size="small"
              onClick={() => onChange(moveColumn(fields, layout, apiName, -1))}
            />
            <IconButton
              label={`Move ${name} down`}
              icon={ArrowDown}
              size="small"
              onClick={() => onChange(moveColumn(fields, layout, apiName, 1))}
            />
          </li>
        ))}
        {matches.length === 0 && <li className="ent-quiet">No column has this name</li>}
      </ul>
      <footer>
        <Button
          size="small"
          variant="quiet"
          onClick={() => hide(hideableFields.map(({ apiName }) => apiName))}
        >
          Hide all
        </Button>
        <Button size="small" variant="quiet" onClick={() => hide(NO_NAMES)}>
          Show all
        </Button>
        <Button size="small" variant="quiet" onClick={() => onChange(DEFAULT_COLUMN_LAYOUT)}>
          Reset
        </Button>
      </footer>
    </div>
  );
}
