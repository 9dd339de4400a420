import { Layers } from 'lucide-react';

/** The product's name with its sign. */
export function ProductMark() {
  return (
    <span className="mark">
      <span className="mark-sign">
        <Layers />
      </span>
      Steward
    </span>
  );
}
