import { serveDesk } from '../serve-desk.ts';
import { createDesk } from './desk.ts';

serveDesk(createDesk());
