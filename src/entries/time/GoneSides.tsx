import { Badge } from '../../ui/layout/Badge.tsx';
import type { Difference } from './differences.ts';
import { Shown } from './Shown.tsx';

interface GoneSidesProps {
  gone: readonly Difference[];
  /** The second side is of today, which has no such fields. */
  besideToday: boolean;
}

/** Rows of the comparison for fields that were deleted since: their values are looked at, and not brought back. */
export function GoneSides({ gone, besideToday }: GoneSidesProps) {
  return gone.map(({ field, before, after }) => (
    <tr key={field.id} className="tm-gone">
      <th scope="row">
        {field.name}
        <Badge>field deleted since</Badge>
      </th>
      <td>
        <Shown value={before} field={field} />
      </td>
      <td>
        {besideToday ? <span className="tm-none">field deleted</span> : <Shown value={after} field={field} />}
      </td>
    </tr>
  ));
}
