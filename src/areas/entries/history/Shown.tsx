import { useState } from 'react';
import type { FieldValue } from '../../../api/generated/types.gen.ts';
import { Button } from '../../../ui/button/Button.tsx';
import type { Field } from '../model/schema.ts';
import { ValueView } from '../model/ValueView.tsx';
import { itemsOf } from '../model/values.ts';

const CUT = 240;

/** A value beside others: no data is said, a long text is cut until somebody wants all of it. */
export function Shown({ value, field }: { value: FieldValue | undefined; field: Field }) {
  const [all, setAll] = useState(false);
  if (itemsOf(value).length === 0) return <span className="tm-none">no data</span>;
  if (typeof value !== 'string' || value.length <= CUT) return <ValueView value={value} field={field} />;
  return (
    <>
      <bdi className="tm-text">{all ? value : `${value.slice(0, CUT)}…`}</bdi>{' '}
      <Button size="small" variant="quiet" aria-expanded={all} onClick={() => setAll(!all)}>
        {all ? 'Show less' : `Show all ${value.length.toLocaleString()} characters`}
      </Button>
    </>
  );
}
