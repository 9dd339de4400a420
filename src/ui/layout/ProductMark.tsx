import { Layers } from 'lucide-react';
import './product-mark.css';

/** Product name and logo. */
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
