/** The name of the tool that reads long results in parts. A run has the tool once there is such a result. */
export const readOnName = 'read_tool_result'
