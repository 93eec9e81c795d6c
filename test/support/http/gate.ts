/** A door that requests wait behind. */
export class Gate {
  readonly arrived: Promise<void>;
  readonly opened: Promise<void>;
  open: () => void = () => undefined;
  arrive: () => void = () => undefined;

  constructor() {
    this.arrived = new Promise((resolve) => {
      this.arrive = resolve;
    });
    this.opened = new Promise((resolve) => {
      this.open = resolve;
    });
  }

  async pass(): Promise<void> {
    this.arrive();
    await this.opened;
  }
}
