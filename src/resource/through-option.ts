/** The option of a resource for filters and sorts through relations. */
export interface ThroughOption {
  /**
   * The relations through which clients may filter and sort the list: with `project`, by `project.status=open` and `sort=project.name`, if the
   * policy of the field in its own model says so. They are named as in `include`, at most three following one another. Only the names in the array
   * are allowed: `project.owner` alone does not allow `project`. Clients reach only the records that the target's Get guards and scope show them.
   * @default none
   *
   * @example
   * through: ['project', 'project.owner']
   */
  readonly through?: readonly string[];
}
