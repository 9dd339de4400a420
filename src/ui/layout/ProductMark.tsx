import { Layers } from 'lucide-react';
import './product-mark.css';

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
