# SPDX-License-Identifier: Apache-2.0
# Part of the installation: `command` prints its manual pages and completions into `folder`.
file(MAKE_DIRECTORY ${folder}/man1)
foreach(page "" sort compact scan collide bench info)
  set(name ballot)
  if(page)
    set(name ballot-${page})
  endif()
  execute_process(COMMAND ${command} manual ${page} OUTPUT_FILE ${folder}/man1/${name}.1 COMMAND_ERROR_IS_FATAL ANY)
endforeach()
foreach(shell bash zsh fish)
  execute_process(COMMAND ${command} completion ${shell} OUTPUT_FILE ${folder}/ballot.${shell} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
