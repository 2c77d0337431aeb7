/** What became of one signal to one verified process. */
export type SignalOutcome =
  /** Delivered to that very process. */
  | 'sent'
  /** It has ended (or its pid belongs to another process now): nothing was signalled. */
  | 'gone'
  /** The system refused (EPERM). */
  | 'denied'
  /** The system has no such signal (Windows has none but the end): nothing was done. */
  | 'unsupported';
