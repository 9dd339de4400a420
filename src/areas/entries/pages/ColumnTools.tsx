import { ArrowDown, ArrowUp, Clock, Columns3, Pin, PinOff, Rows3 } from 'lucide-react';
import { Suspense, useRef, useState } from 'react';
import { hasOrder, hiding, moved, orderedFields, pinned, pinning } from '../model/columns.ts';
import { AS_SCHEMA, MOST_FROZEN } from '../model/columns-store.ts';
import type { ColumnChoice } from '../model/columns-store.ts';
import type { Field } from '../model/schema.ts';
import { OWN_ZONE, setZone, useZone } from '../model/zone.ts';
import { fold } from '../../../lib/fold.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { later } from '../../../ui/later.ts';
import { MenuButton } from '../../../ui/menu/MenuButton.tsx';
import { TableTools } from '../../../ui/table/TableTools.tsx';
import { setDensity, useDensity } from '../../../ui/theme.ts';
import { SMALL, useMedia } from '../../../ui/use-media.ts';

const PopoverCard = later(() => import('../../../ui/menu/PopoverCard.tsx'));

interface ColumnToolsProps {
  fields: readonly Field[];
  choice: ColumnChoice;
  onChange: (choice: ColumnChoice) => void;
  sort: { field: string; descending: boolean };
  onSort: (name: string) => void;
}

const DENSITIES = [
  { density: 'compact', label: 'Compact' },
  { density: 'regular', label: 'Regular' },
  { density: 'comfortable', label: 'Comfortable' },
] as const;
const NONE: readonly string[] = [];
const ignore = () => undefined;

/** Which columns and in which order, how dense; on a phone, where there is no header row, the order of rows. */
export function ColumnTools(props: ColumnToolsProps) {
  const { fields, sort, onSort } = props;
  const small = useMedia(SMALL);
  const density = useDensity();
  if (small) {
    const columns = fields
      .filter(hasOrder)
      .map(({ apiName: id, name: header }) => ({ id, header, sortable: true, cell: ignore }));
    const direction = sort.descending ? 'descending' : 'ascending';
    return (
      <TableTools
        columns={columns}
        hidden={NONE}
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
        items={DENSITIES.map((one) => ({
          label: one.label,
          checked: one.density === density,
          oneOf: true,
          onSelect: () => setDensity(one.density),
        }))}
      />
    </>
  );
}

/** The zone in which dates with a time of day are shown; hovering tells all of them. */
function ZoneButton() {
  const { choice, site } = useZone();
  const zones = [
    { choice: 'utc', label: 'UTC', hint: 'As the interface tells them' },
    { choice: 'site', label: 'Time zone of the site', hint: site },
    { choice: 'own', label: 'My time zone', hint: OWN_ZONE },
  ] as const;
  return (
    <MenuButton
      label="Time zone of dates"
      icon={Clock}
      items={zones.map((one) => ({
        label: one.label,
        hint: one.hint,
        checked: one.choice === choice,
        oneOf: true,
        onSelect: () => setZone(one.choice),
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

function ColumnList({ fields, choice, onChange }: ColumnToolsProps) {
  const [q, setQ] = useState('');
  const all = orderedFields(fields, choice);
  const others = all.filter(({ isKey }) => !isKey);
  const shown = others.filter(({ name, apiName }) => fold(`${name} ${apiName}`).includes(fold(q.trim())));
  const staying = pinned(fields, choice);
  const hide = (names: readonly string[]) => onChange(hiding(fields, choice, names));
  const toggle = (name: string) =>
    hide(
      choice.hidden.includes(name) ? choice.hidden.filter((one) => one !== name) : [...choice.hidden, name],
    );
  return (
    <div className="ent-columns">
      <input
        type="search"
        className="input"
        aria-label="Find a column"
        placeholder="Find a column"
        // Of two hundred columns one is found by typing: that is what the list was opened for.
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus
        value={q}
        onChange={({ target }) => setQ(target.value)}
      />
      <ul>
        {shown.map(({ id, apiName, name }) => (
          <li key={id}>
            <label>
              <input
                type="checkbox"
                className="checkbox"
                checked={!choice.hidden.includes(apiName)}
                onChange={() => toggle(apiName)}
              />
              <span>{name}</span>
            </label>
            <IconButton
              label={staying.includes(apiName) ? `Let ${name} scroll` : `Keep ${name} at the side`}
              icon={staying.includes(apiName) ? PinOff : Pin}
              size="small"
              disabledReason={
                !staying.includes(apiName) && choice.frozen >= MOST_FROZEN
                  ? `At most ${MOST_FROZEN} columns stay at the side`
                  : undefined
              }
              onClick={() => onChange(pinning(fields, choice, apiName))}
            />
            <IconButton
              label={`Move ${name} up`}
              icon={ArrowUp}
              size="small"
              onClick={() => onChange(moved(fields, choice, apiName, -1))}
            />
            <IconButton
              label={`Move ${name} down`}
              icon={ArrowDown}
              size="small"
              onClick={() => onChange(moved(fields, choice, apiName, 1))}
            />
          </li>
        ))}
        {shown.length === 0 && <li className="ent-quiet">No column is called so</li>}
      </ul>
      <footer>
        <Button size="small" variant="quiet" onClick={() => hide(others.map(({ apiName }) => apiName))}>
          Hide all
        </Button>
        <Button size="small" variant="quiet" onClick={() => hide(NONE)}>
          Show all
        </Button>
        <Button size="small" variant="quiet" onClick={() => onChange(AS_SCHEMA)}>
          As in the schema
        </Button>
      </footer>
    </div>
  );
}
