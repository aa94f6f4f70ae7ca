#pragma once
/// Finds the guest's image disks by serial number, waiting for one that is being plugged in.

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/units.hpp"

namespace pybox::guest {

/// Name of the block device ("vda", "sdb") with that serial: virtio-blk says it in
/// /sys/block/X/serial, SCSI in VPD page 0x80. Waits on kernel uevents (man 7 netlink,
/// NETLINK_KOBJECT_UEVENT) for at most `patience`.
Result<std::string> find_disk(std::string_view serial, Nanos patience);

/// The serial in a SCSI "unit serial number" page (SPC-4, 7.8.18): 4 bytes of header, then text
/// that may be padded with spaces. Empty when it is no such page.
std::string_view serial_in_vpd_page(std::string_view page);

}  // namespace pybox::guest
