import { Agent, type IncomingMessage, request } from 'node:http';

/** How patient a caller is: to the end, until so many bytes of the answer came, or until so much time is over. */
export interface Patience {
  leavesAfterMs?: number;
  leavesAfterBytes?: number;
}

/** The bytes that arrived at the caller, and how they ended. */
export interface Heard {
  startedAt: number;
  endedAt: number;
  end: 'whole' | 'left by the caller' | 'cut by the server' | 'no answer in time' | 'never connected';
  status: number | null;
  requestId: string | null;
  isReplay: boolean;
  link: string | null;
  body: string;
}

// Longer than whatever the service may take for an answer: who still waits then was forgotten.
const maxAnswerMs = 30_000;

/** Calls once and notes everything, however it ends. */
export function call(url: string, headers: Record<string, string>, agent: Agent, patience: Patience = {}): Promise<Heard> {
  const heard: Heard = {
    startedAt: Date.now(),
    endedAt: 0,
    end: 'never connected',
    status: null,
    requestId: null,
    isReplay: false,
    link: null,
    body: '',
  };
  return new Promise((resolve) => {
    const sent = request(url, { headers, agent });
    const finish = (end: Heard['end']) => {
      if (heard.endedAt > 0) return;
      clearTimeout(timer);
      Object.assign(heard, { end, endedAt: Date.now() });
      resolve(heard);
    };
    const leave = (end: Heard['end'] = 'left by the caller') => {
      finish(end);
      sent.destroy();
    };
    const { leavesAfterMs } = patience;
    const timer = leavesAfterMs === undefined ? setTimeout(leave, maxAnswerMs, 'no answer in time') : setTimeout(leave, leavesAfterMs);
    sent.on('response', (answer) => listen(answer, heard, patience, leave, finish));
    sent.on('error', (error: NodeJS.ErrnoException) => finish(error.code === 'ECONNREFUSED' ? 'never connected' : 'cut by the server'));
    sent.end();
  });
}

function listen(answer: IncomingMessage, heard: Heard, patience: Patience, leave: () => void, finish: (end: Heard['end']) => void): void {
  heard.status = answer.statusCode!;
  heard.requestId = String(answer.headers['x-request-id'] ?? '') || null;
  heard.isReplay = answer.headers['idempotency-replayed'] === 'true';
  heard.link = String(answer.headers.link ?? '') || null;
  answer.setEncoding('utf8');
  answer.on('data', (text: string) => {
    if (heard.endedAt > 0) return;
    heard.body += text;
    if (patience.leavesAfterBytes !== undefined && heard.body.length >= patience.leavesAfterBytes) leave();
  });
  answer.on('end', () => finish(answer.complete ? 'whole' : 'cut by the server'));
  answer.on('error', () => finish('cut by the server'));
}

/** A caller's connections: kept alive as most clients do. */
export const newAgent = (): Agent => new Agent({ keepAlive: true, maxSockets: 4 });
