import { useState } from 'react';
import type { FieldValue } from '../../../../contract/generated/types.gen.ts';
import { Button } from '../../../ui/button/Button.tsx';
import type { Field } from '../model/schema.ts';
import { toItems } from '../model/values.ts';
import { ValueView } from '../model/ValueView.tsx';

const MAX_EXCERPT_CHARS = 240;

/** A value in a comparison: a long text is truncated and can be expanded. */
export function ValueExcerpt({ value, field }: { value: FieldValue | undefined; field: Field }) {
  const [isExpanded, setIsExpanded] = useState(false);
  if (toItems(value).length === 0) return <span className="tm-none">no data</span>;
  if (typeof value !== 'string' || value.length <= MAX_EXCERPT_CHARS)
    return <ValueView value={value} field={field} />;
  return (
    <>
      <bdi className="tm-text">{isExpanded ? value : `${value.slice(0, MAX_EXCERPT_CHARS)}…`}</bdi>{' '}
      <Button
        size="small"
        variant="quiet"
        aria-expanded={isExpanded}
        onClick={() => setIsExpanded(!isExpanded)}
      >
        {isExpanded ? 'Show less' : `Show all ${value.length.toLocaleString()} characters`}
      </Button>
    </>
  );
}
