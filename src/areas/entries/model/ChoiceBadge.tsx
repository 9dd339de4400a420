import type { NamedValue } from '../../../api/generated/types.gen.ts';
import { Badge } from '../../../ui/layout/Badge.tsx';
import type { Tone } from '../../../ui/layout/tone.ts';

const TONES: readonly Tone[] = ['neutral', 'info', 'ok', 'accent', 'warn'];

/** A choice as a tag; each keeps its colour. */
export const ChoiceBadge = ({ choice: { id, name, seqNumber } }: { choice: NamedValue }) => (
  <Badge tone={TONES[(seqNumber ?? id) % TONES.length] ?? 'neutral'}>{name}</Badge>
);
